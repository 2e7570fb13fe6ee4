import type { ReactElement } from "react";

/** The product's sign. */
export const Mark = ({ size = 20 }: { size?: number }): ReactElement => (
  <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden>
    <path
      d="M2 15h6l2-10h8"
      fill="none"
      stroke="var(--brand)"
      strokeWidth="2.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="17.4" cy="5" r="2" fill="var(--brand)" />
  </svg>
);
