/** Forms of an answer that are read. */
const readForms = /^(sse|json)(;enum-encoding=int)?$/;

/** Fields by which Google leaves parts of an answer out, such as what it cost. */
export const googleMasks: readonly string[] = ["x-goog-fieldmask"];

/** True where Google's answer tells what it cost: its other parameters, such as `fields` and `callback`, change an answer's form. */
export const keepsUsage = ({ searchParams }: URL): boolean =>
  [...searchParams].every(
    ([name, value]) => name === "key" || (["alt", "$alt"].includes(name) && readForms.test(value)),
  );
