import type { Agent, Organisation } from './model';
import { asksForOwners, matches, moodOf, treeOf, type Sum, type Tree } from './organisation';
import { ownersIn } from './owners';
import { store } from './store';
import { view } from './view';
import { withoutVerb, type Mood } from './words';

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
/** Of a tree: everybody, those who lead before those below, and for each where its leader stands there; -1 for nobody. */
let ranked: { tree: Tree; order: Agent[]; leaders: Int32Array } | null = null;
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
    const query = withoutVerb(view.query);
    const ownerOf = asksForOwners(query) ? ownersIn(store.org, counted.tree) : undefined;
    for (const agent of store.org.agents.values()) if (matches(store.org, agent, query, counted.moods.get(agent.id), ownerOf)) found.add(agent.id);
    sought = { census: counted, query: view.query, found };
  }
  return sought.found;
}

const none = (): Sum => ({ agents: 0, working: 0, needs: 0, failed: 0, spend: 0, unmetered: 0 });

export function takenOf(org: Organisation, tree: Tree): Census {
  const moods = new Map<string, Mood>();
  const working: Agent[] = [];
  for (const agent of org.agents.values()) {
    const mood = moodOf(org, agent);
    moods.set(agent.id, mood);
    if (mood === 'working') working.push(agent);
  }
  const all = none();
  const { order, leaders } = rankedIn(tree);
  const sums: (Sum | undefined)[] = [];
  for (let i = order.length - 1; i >= 0; i--) { // all below it were added before
    const leader = leaders[i]!;
    const above = leader < 0 ? all : (sums[leader] ??= none());
    add(above, order[i]!, moods.get(order[i]!.id)!);
    const own = sums[i];
    if (own) for (const name of NAMES) above[name] += own[name];
  }
  const below = new Map<string, Sum>();
  sums.forEach((sum, i) => sum && below.set(order[i]!.id, sum));
  return { tree, moods, all, below, working };
}

function rankedIn(tree: Tree): { order: Agent[]; leaders: Int32Array } {
  if (ranked?.tree === tree) return ranked;
  const order = [...tree.roots];
  const above: number[] = order.map(() => -1);
  for (let i = 0; i < order.length; i++) {
    for (const child of tree.childrenOf.get(order[i]!.id) ?? []) {
      above.push(i);
      order.push(child);
    }
  }
  ranked = { tree, order, leaders: Int32Array.from(above) };
  return ranked;
}

const NAMES = ['agents', 'working', 'needs', 'failed', 'spend', 'unmetered'] as const;

function add(sum: Sum, agent: Agent, mood: Mood): void {
  sum.agents++;
  if (mood === 'working') sum.working++;
  if (mood === 'needs') sum.needs++;
  if (mood === 'failed' || mood === 'doubt') sum.failed++;
  sum.spend += agent.monthly_spend;
  if (isUncounted(agent)) sum.unmetered++;
}

/** What it costs is in no sum, or not all of it. */
export const isUncounted = (agent: Agent): boolean => agent.metered === false || agent.unpriced;
