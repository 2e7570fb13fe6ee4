const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const registry =
  "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?";
const repository = `(?:${registry}/)?${part}(?:/${part})*`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "sha256:[0-9a-f]{64}";

/** The name of an image (github.com/distribution/reference). It can't be mistaken for an option, an address or a path. */
export const imagePattern = new RegExp(`^${repository}(?::${tag})?(?:@${digest})?$`);

/** An entry of CONTAINER_IMAGES: the name of an image. `:*` means each tag of a repository, `@*` each digest. */
export const imageRulePattern = new RegExp(`^${repository}(?:(?::${tag})?(?:@${digest})?|:\\*|@\\*)$`);

/** True when a rule allows the image. Names are compared as text: a name without a tag is not `:latest`. */
export function allowsImage(rules: readonly string[], image: string): boolean {
  if (!imagePattern.test(image)) return false;
  return rules.some((rule) => {
    if (!rule.endsWith("*")) return rule === image;
    const prefix = rule.slice(0, -1);
    // `repository:` is only followed by a tag, `repository@` only by a digest.
    return image.startsWith(prefix) && !/[@/]/.test(image.slice(prefix.length));
  });
}
