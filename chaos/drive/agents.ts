/** The agents of the clients' runs. Each returns its input's token, so that mixed up results are noticed. */
export const agents = {
  instant: {
    source: "def main(input):\n    return {'token': input['token']}\n",
  },
  chatty: {
    source:
      "import time\ndef main(input):\n    for i in range(input['n']):\n        yield f\"{input['token']} {i}\"\n        time.sleep(input['pause'])\n    return {'token': input['token']}\n",
    max_attempts: 10,
  },
  /** Does a step before each of its words, and is suspended before the last step. What it has done and said stands. */
  durable: {
    source:
      "import time\nfrom runfleet import context\ndef work(pause, i):\n    time.sleep(pause)\n    return i\ndef main(input):\n    done = []\n    for i in range(input['n']):\n        done.append(context.step('work', work, input['pause'], i))\n        yield f\"{input['token']} {i}\"\n    context.sleep(1.5)\n    return {'token': context.step('token', lambda: input['token']), 'done': done}\n",
    max_attempts: 10,
  },
  failing: {
    source: "def main(input):\n    print('about to fail')\n    raise ValueError(input['token'])\n",
  },
} as const;

export type AgentName = keyof typeof agents;

/** Publishes the agents under their names. */
export async function publishAgents(url: string): Promise<void> {
  for (const [id, config] of Object.entries(agents)) {
    const response = await fetch(`${url}/v1/agents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user_id: "chaos", id, name: id, version: "1.0.0", config }),
    });
    if (!response.ok) throw new Error(`agent ${id}: ${response.status} ${await response.text()}`);
  }
}
