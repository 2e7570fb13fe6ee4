/** Returns an amount of micro-USD as dollars: with cents, or exactly where it is less than ten of them. */
export function formatMicro(micro: number | null | undefined): string {
  if (micro == null) return "–";
  const dollars = Math.abs(micro) / 1_000_000;
  const digits = dollars === 0 || dollars >= 0.1 ? 2 : 6;
  return `${micro < 0 ? "−" : ""}$${dollars.toLocaleString("en", { minimumFractionDigits: digits === 2 ? 2 : 4, maximumFractionDigits: digits })}`;
}

/** Returns an amount in a currency's smallest unit. */
export const formatAmount = (amount: number, currency: string): string => {
  const code = currency.toUpperCase();
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    return `${amount} ${code}`;
  }
};
