/** Something that the page does, by a button, link or field that says so itself. */
export type PageAction = { name: string; key: string | null; act: () => void };

const selector =
  "main :is(button, a, input)[aria-keyshortcuts]:not(:disabled), main header button[class]:not(:disabled, [aria-keyshortcuts])";

/** Returns what the page can do now: what has a key, and the buttons beside its title. */
export const pageActions = (): PageAction[] =>
  [...document.querySelectorAll<HTMLElement>(selector)].map((element) => ({
    name: nameOf(element),
    key: element.getAttribute("aria-keyshortcuts"),
    act: () => (element.matches("input") ? element.focus() : element.click()),
  }));

/** Returns what a reader of screens says of it. */
const nameOf = (element: HTMLElement): string =>
  element.ariaLabel ?? (element.innerText.trim() || element.closest("label")?.innerText.trim() || element.title);
