import type { CurrentSession } from "../../sdk/ts/index.ts";
import type { Entry } from "./palette.tsx";
import { switchTheme } from "./theme.ts";

/** What can be done on every page. */
export function consoleActs({ auth_mode }: CurrentSession, openHelp: () => void, signOut: () => void): Entry[] {
  const acts: Entry[] = [
    { id: "theme", name: "Use the other theme", icon: "moon", act: switchTheme },
    { id: "keys", name: "Show the keys", icon: "keyboard", key: "?", act: openHelp },
  ];
  return auth_mode === "open" ? acts : [...acts, { id: "leave", name: "Sign out", icon: "leave", act: signOut }];
}
