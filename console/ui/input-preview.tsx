import type { ReactElement } from "react";

/** The first plain value of a run's input, as the service shows it in lists. */
export function InputPreview({ preview }: { preview: string | null }): ReactElement {
  const { name, value } = firstOf(preview);
  return (
    <>
      {name && <span className="dim">{name} </span>}
      <span className="num">{value}</span>
    </>
  );
}

/** Returns the first plain value of an input. A preview that was cut is no JSON, and is shown as it is. */
function firstOf(preview: string | null): { name?: string; value: string } {
  if (preview === null || preview === "{}") return { value: "" };
  try {
    const input = JSON.parse(preview) as Record<string, unknown>;
    const found = Object.entries(input).find(([, value]) => typeof value !== "object");
    if (found) return { name: found[0], value: String(found[1]) };
  } catch {
    // Cut.
  }
  return { value: preview };
}
