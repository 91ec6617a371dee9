import type { Agent, Organisation } from './model';
import { matches, moodOf, treeOf, type Sum, type Tree } from './organisation';
import { store } from './store';
import { view } from './view';
import type { Mood } from './words';

/** What all parts of the page ask of everybody, counted once for each drawing: who is under whom, how each is, and the sums of teams. */
export interface Census {
  tree: Tree;
  moods: Map<string, Mood>;
  all: Sum;
  /** Of those below, by who leads them. */
  below: Map<string, Sum>;
  working: Agent[];
}

let taken: { org: Organisation; drawing: number; census: Census } | null = null;
let standing: { agents: Map<string, Agent>; shape: number; tree: Tree } | null = null;
let sought: { census: Census; query: string; found: Set<string> } | null = null;

export function census(): Census {
  const { org, drawing } = store;
  if (taken?.org !== org || taken.drawing !== drawing) taken = { org, drawing, census: takenOf(org, treeIn(org)) };
  return taken.census;
}

/** Built anew only when somebody came, left or moved. */
export function treeIn(org: Organisation): Tree {
  if (standing?.agents !== org.agents || standing.shape !== org.shape) standing = { agents: org.agents, shape: org.shape, tree: treeOf(org.agents) };
  return standing.tree;
}

/** Who is what is searched for; null while nothing is. */
export function foundNow(): Set<string> | null {
  if (!view.query.trim()) return null;
  const counted = census();
  if (sought?.census !== counted || sought.query !== view.query) {
    const found = new Set<string>();
    for (const agent of store.org.agents.values()) if (matches(store.org, agent, view.query, counted.moods.get(agent.id))) found.add(agent.id);
    sought = { census: counted, query: view.query, found };
  }
  return sought.found;
}

const none = (): Sum => ({ agents: 0, working: 0, needs: 0, failed: 0, spend: 0 });

export function takenOf(org: Organisation, tree: Tree): Census {
  const moods = new Map<string, Mood>();
  const working: Agent[] = [];
  for (const agent of org.agents.values()) {
    const mood = moodOf(org, agent);
    moods.set(agent.id, mood);
    if (mood === 'working') working.push(agent);
  }
  const below = new Map<string, Sum>();
  const all = none();
  const leaders = new Map<Agent, string>();
  const order = [...tree.roots];
  for (let i = 0; i < order.length; i++) {
    const leader = order[i]!.id;
    for (const child of tree.childrenOf.get(leader) ?? []) {
      leaders.set(child, leader);
      order.push(child);
    }
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const agent = order[i]!; // all below it were added before
    const leader = leaders.get(agent);
    const above = leader === undefined ? all : (below.get(leader) ?? none());
    if (leader !== undefined) below.set(leader, above);
    add(above, agent, moods.get(agent.id)!);
    const own = below.get(agent.id);
    if (own) for (const name of NAMES) above[name] += own[name];
  }
  return { tree, moods, all, below, working };
}

const NAMES = ['agents', 'working', 'needs', 'failed', 'spend'] as const;

function add(sum: Sum, agent: Agent, mood: Mood): void {
  sum.agents++;
  if (mood === 'working') sum.working++;
  if (mood === 'needs') sum.needs++;
  if (mood === 'failed' || mood === 'doubt') sum.failed++;
  sum.spend += agent.monthly_spend;
}
