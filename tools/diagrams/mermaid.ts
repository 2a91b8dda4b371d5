/** Writes diagrams as Mermaid text, which GitHub and the site draw. */

export interface Arrow {
  /** The arrow begins at this state. It is undefined for the first state. */
  readonly from: string | undefined;
  readonly to: string;
  readonly label: string;
}

export function stateDiagram(arrows: readonly Arrow[]): string {
  const lines = merged(arrows).map(
    ({ from = '[*]', to, label }) => `  ${from} --> ${to}: ${label}`,
  );
  return ['stateDiagram-v2', ...lines].join('\n');
}

export function flowchart(arrows: readonly Arrow[]): string {
  const lines = merged(arrows).map(({ from, to, label }) => `  ${from} -->|${label}| ${to}`);
  return ['flowchart LR', ...lines].join('\n');
}

/** Arrows with the same ends are one, with all their labels. */
function merged(arrows: readonly Arrow[]): Arrow[] {
  const byEnds = Map.groupBy(arrows, ({ from, to }) => `${from} ${to}`);
  return [...byEnds.values()].map((same) => {
    const labels = new Set(same.map(({ label }) => label));
    return { ...(same[0] as Arrow), label: [...labels].join(', or ') };
  });
}
