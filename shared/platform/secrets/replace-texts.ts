/** Nodes of a trie are numbered; 0 is its root, and nobody's child. */
type Trie = {
  /** Returns a node's child by the code of a character; 0: it has none. */
  childOf: (node: number, code: number) => number;
  /** The node of the longest shorter beginning that the node's text ends with (Aho and Corasick). */
  shorter: number[];
  /** The length of the longest text that the node's text ends with; 0: it ends with none. */
  longest: number[];
};

/**
 * Returns a function that replaces texts by another one: at the first place that has some, the longest. Its time grows with the
 * length of what it is given alone, whatever that and the texts are. It returns what it is given where nothing is to be replaced.
 */
export function createReplacer(texts: readonly string[], by: string): (given: string) => string {
  const given = texts.filter((text) => text !== "");
  if (given.length === 0) return (text) => text;
  const find = createFinder(given);
  return (text) => {
    const found = find(text);
    if (found.length === 0) return text;
    let clean = "";
    let from = 0;
    for (const { at, length } of found.toReversed()) {
      if (at < from) continue;
      clean += text.slice(from, at) + by;
      from = at + length;
    }
    return clean + text.slice(from);
  };
}

/**
 * Finds each place that has a text, with the longest text there, the last place first. The text is read backwards: so what the trie
 * says where a text begins is the longest one there.
 */
function createFinder(texts: readonly string[]): (given: string) => { at: number; length: number }[] {
  const trie = createTrie(texts);
  // Most characters end no text, which the last byte of their code tells at once.
  const mayEnd = new Uint8Array(256);
  for (const text of texts) mayEnd[text.charCodeAt(text.length - 1) & 255] = 1;
  return (given) => {
    const found: { at: number; length: number }[] = [];
    let node = 0;
    for (let at = given.length - 1; at >= 0; at -= 1) {
      const code = given.charCodeAt(at);
      if (node === 0 && mayEnd[code & 255] === 0) continue;
      node = nextNode(trie, node, code);
      const length = trie.longest[node] ?? 0;
      if (length > 0) found.push({ at, length });
    }
    return found;
  };
}

/** `codes` and `parents`: of each node, the character that leads to it, and from where. */
type Nodes = Pick<Trie, "childOf" | "longest"> & {
  codes: number[];
  parents: number[];
  childrenOf: (node: number) => number[];
};

/** Makes the nodes of the texts, each read backwards. */
function createNodes(texts: readonly string[]): Nodes {
  /** Each node's first child; further ones are in `others`, since few nodes have any. */
  const [first, codes, parents, longest] = [[0], [0], [0], [0]];
  const others = new Map<number, Map<number, number>>();

  function childOf(node: number, code: number): number {
    const child = first[node] ?? 0;
    return child === 0 || codes[child] === code ? child : (others.get(node)?.get(code) ?? 0);
  }
  function addChild(node: number, code: number): number {
    const child = first.push(0) - 1;
    codes.push(code);
    parents.push(node);
    longest.push(0);
    if (first[node] === 0) first[node] = child;
    else others.set(node, (others.get(node) ?? new Map<number, number>()).set(code, child));
    return child;
  }
  for (const text of texts) {
    let node = 0;
    for (let at = text.length - 1; at >= 0; at -= 1) {
      const code = text.charCodeAt(at);
      node = childOf(node, code) || addChild(node, code);
    }
    longest[node] = text.length;
  }
  return {
    ...{ childOf, codes, parents, longest },
    childrenOf: (node) => (first[node] === 0 ? [] : [first[node] ?? 0, ...(others.get(node)?.values() ?? [])]),
  };
}

function createTrie(texts: readonly string[]): Trie {
  const { childOf, childrenOf, codes, parents, longest } = createNodes(texts);
  const shorter = codes.map(() => 0);
  // By depth, since a shorter beginning is less deep. The list grows while it is read.
  const order = childrenOf(0);
  for (const node of order) {
    for (const child of childrenOf(node)) order.push(child);
    const parent = parents[node] ?? 0;
    if (parent === 0) continue;
    shorter[node] = nextNode({ childOf, shorter }, shorter[parent] ?? 0, codes[node] ?? 0);
    longest[node] ||= longest[shorter[node] ?? 0] ?? 0;
  }
  return { childOf, shorter, longest };
}

/** Returns the node of the longest end of what was read that begins some text, after one more character. */
function nextNode({ childOf, shorter }: Pick<Trie, "childOf" | "shorter">, from: number, code: number): number {
  let node = from;
  let next = childOf(node, code);
  while (next === 0 && node !== 0) {
    node = shorter[node] ?? 0;
    next = childOf(node, code);
  }
  return next;
}
