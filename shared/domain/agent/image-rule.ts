const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const registry =
  "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?";
const repository = `(?:${registry}/)?${part}(?:/${part})*`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "sha256:[0-9a-f]{64}";

/** An image's name as container engines take it (github.com/distribution/reference): never an option, an address or a path. */
export const imagePattern = new RegExp(`^${repository}(?::${tag})?(?:@${digest})?$`);

/** An entry of CONTAINER_IMAGES: an image's name; or with `:*` each tag, with `@*` each digest, of a repository. */
export const imageRulePattern = new RegExp(`^${repository}(?:(?::${tag})?(?:@${digest})?|:\\*|@\\*)$`);

/** Whether a rule names the image. Names are compared as they are written: without a tag is not `:latest`. */
export function allowsImage(rules: readonly string[], image: string): boolean {
  if (!imagePattern.test(image)) return false;
  return rules.some((rule) => {
    if (!rule.endsWith("*")) return rule === image;
    const prefix = rule.slice(0, -1);
    // Behind `repository:` comes a tag alone, behind `repository@` a digest alone.
    return image.startsWith(prefix) && !/[@/]/.test(image.slice(prefix.length));
  });
}
