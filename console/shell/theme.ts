import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

const readers = new Set<() => void>();

/** Returns the theme that is shown. public/theme.js reads the choice before the first paint. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, shownTheme);

/** Shows the other theme, here and when the console is opened again. */
export function switchTheme(): void {
  const theme = otherTheme(shownTheme());
  document.documentElement.dataset["theme"] = theme;
  localStorage.setItem("theme", theme);
  for (const notify of readers) notify();
}

export const otherTheme = (theme: Theme): Theme => (theme === "dark" ? "light" : "dark");

const shownTheme = (): Theme => (document.documentElement.dataset["theme"] === "dark" ? "dark" : "light");

function subscribe(onChange: () => void): () => void {
  readers.add(onChange);
  return () => readers.delete(onChange);
}
