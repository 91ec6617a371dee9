import { call } from './api';
import type { Agent, Organisation } from './model';
import type { Tree } from './organisation';
import { forget, read } from './readings';
import { clip } from './words';

/** Who answers for a team, as its leader's `config` says it, for everybody: a name that people chose, no proof and no right. */

/** Of more teams than these nobody's owner is read. */
const READ_MAX = 50;
export const OWNER_MAX = 60;

const pathOf = (id: string): string => `/workspaces/${id}/config`;

/** What is said of its own team; empty while nothing is. */
export function ownOwner(leader: string): string {
  const named = read<{ data?: { owner?: unknown } }>(pathOf(leader)).value?.data?.owner;
  return typeof named === 'string' ? clip(named, OWNER_MAX) : '';
}

export const leads = (tree: Tree, agent: Agent): boolean => !agent.parent_id || tree.childrenOf.has(agent.id);

/** Who answers for each, in small letters: whoever does for the nearest leader of whom anybody said it. */
export function ownersIn(org: Organisation, tree: Tree): (agent: Agent) => string {
  const asked = new Set<string>();
  for (let row = tree.roots; row.length && asked.size < READ_MAX; row = row.flatMap((agent) => tree.childrenOf.get(agent.id) ?? [])) {
    for (const agent of row) if (asked.size < READ_MAX && leads(tree, agent)) asked.add(agent.id);
  }
  return (agent) => ownerOf(org, agent, asked).toLocaleLowerCase();
}

/** @param asked of whom it may be read; null is anybody above */
export function ownerOf(org: Organisation, agent: Agent, asked: Set<string> | null = null): string {
  const seen = new Set<string>();
  for (let up: Agent | undefined = agent; up && !seen.has(up.id); up = org.agents.get(up.parent_id ?? '')) {
    seen.add(up.id);
    const named = (asked ? asked.has(up.id) : up !== agent || !up.parent_id) ? ownOwner(up.id) : '';
    if (named) return named;
  }
  return '';
}

export async function nameOwner(leader: string, name: string): Promise<void> {
  await call('PATCH', pathOf(leader), { owner: name });
  forget(pathOf(leader));
}
