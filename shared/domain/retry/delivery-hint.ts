const hints: Readonly<Record<string, string>> = {
  blocked:
    "The URL leads to a private or reserved address, which is refused by default. An operator can allow it with CALLBACK_ALLOW_CIDRS, such as 127.0.0.0/8 for this machine.",
  unreadable:
    "The service can't read the run or the secret that the message is made of. An operator finds the reason in a worker's log, under the delivery's id.",
};

/** Returns what the receiver's owner or an operator can do about a failed try; null where the class of its fault says enough. */
export const deliveryHint = (error: string | null): string | null => (error === null ? null : (hints[error] ?? null));
