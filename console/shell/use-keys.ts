import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { areKeysOn } from "./key-switch.ts";
import { areas } from "./area-list.ts";

type Acts = { openPalette: () => void; openHelp: () => void };

/** How long `g` waits for the letter of an area. */
const waitMs = 1_500;

/**
 * Acts on keys. What a page does by a key is said by the `aria-keyshortcuts` of a button, link or field of it: the key clicks the
 * button, or brings the focus into the field or list. Who has the focus handles the keys that are its own.
 */
export function useKeys({ openPalette, openHelp }: Acts): void {
  const navigate = useNavigate();
  useEffect(() => {
    let waitsUntil = 0;
    function press(event: KeyboardEvent): void {
      if (document.querySelector("dialog[open]")) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (!areKeysOn() || isForOthers(event)) return;
      const isAfterG = event.timeStamp < waitsUntil;
      waitsUntil = event.key === "g" ? event.timeStamp + waitMs : 0;
      const area = isAfterG ? areas.find(({ key }) => key === event.key) : undefined;
      if (area) {
        event.preventDefault();
        void navigate({ to: area.to });
      } else if (event.key === "?") openHelp();
      else if (!isAfterG) actOn(event);
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate, openPalette, openHelp]);
}

const isPaletteKey = ({ key, metaKey, ctrlKey }: KeyboardEvent): boolean =>
  (metaKey || ctrlKey) && key.toLowerCase() === "k";

/** True when the key is a part of what somebody writes, or of what the browser does. */
function isForOthers({ target, defaultPrevented, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  const isWritten =
    target instanceof HTMLElement &&
    target.matches("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
  return defaultPrevented || metaKey || ctrlKey || altKey || isWritten;
}

function actOn(event: KeyboardEvent): void {
  const selector = keySelector(event.key);
  const { target } = event;
  if (selector === null || (target instanceof Element && target.closest(selector))) return;
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) return;
  event.preventDefault();
  if (element.matches("button, a")) {
    // A key that is held acts once: the next page may have a button for it, too.
    if (!event.repeat) element.click();
    return;
  }
  element.focus();
  // A list goes on from the key that led there.
  if (element.matches("[role=rowgroup]"))
    element.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true }));
}

/** Returns what finds the thing of a page that a key is for; null for a key that can't be one. An area's link is for two keys. */
const keySelector = (key: string): string | null =>
  /^[a-z/]$/.test(key)
    ? `:is(button, a, input, [role=rowgroup])[aria-keyshortcuts~="${key}"]:not(:disabled, [aria-keyshortcuts^="g "])`
    : null;
