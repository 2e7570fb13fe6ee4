/** Returns what the receiver's owner or an operator can do about a failed try; null where the class of its fault says enough. */
export const deliveryHint = (error: string | null): string | null =>
  error === "blocked"
    ? "The URL leads to a private or reserved address, which is refused by default. An operator can allow it with CALLBACK_ALLOW_CIDRS, such as 127.0.0.0/8 for this machine."
    : null;
