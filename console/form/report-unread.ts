/**
 * Returns true, and says where, when a field of a form shows what isn't its value: text that is no JSON or no number. Whether
 * the values themselves are right is the service's to say.
 */
export function reportUnread(form: HTMLFormElement): boolean {
  const fields = [...form.elements].filter(
    (one) => one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement,
  );
  const unread = fields.find(({ validity }) => validity.badInput || validity.customError);
  // What is folded away can't say what is wrong with it.
  const folded = unread?.closest("details");
  if (folded) folded.open = true;
  unread?.reportValidity();
  return unread !== undefined;
}
