import type { Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";

/** Each asks `runfleet __complete` for the words that may follow. */
const scripts: Record<string, string> = {
  bash: `_runfleet() {
  COMPREPLY=($(compgen -W "$(runfleet __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _runfleet runfleet`,
  zsh: `#compdef runfleet
_runfleet() {
  local -a found
  found=(\${(f)"$(runfleet __complete "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  compadd -a found || _files
}
compdef _runfleet runfleet`,
  fish: `function __runfleet_complete
  runfleet __complete (commandline -opc)[2..-1] 2>/dev/null
end
complete -c runfleet -a "(__runfleet_complete)"`,
};

export const completion: Command = {
  usage: "completion bash|zsh|fish",
  summary: 'Prints what a shell needs to complete commands, flags and ids: eval "$(runfleet completion bash)".',
  needs: 1,
  act({ words: [shell = ""], terminal }) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) throw new Fault("usage", `'${shell}' is none of ${Object.keys(scripts).join(", ")}.`);
    terminal.data(script);
    return Promise.resolve(0);
  },
};
