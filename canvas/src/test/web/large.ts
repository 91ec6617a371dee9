import { takenOf } from '../../main/web/census';
import { labelsOf, LABELS_MAX } from '../../main/web/labels';
import { detailFor, layout } from '../../main/web/layout';
import { nobody, type Organisation, type Workspace } from '../../main/web/model';
import { apply, matches, moodOf, replaceAgents, treeOf } from '../../main/web/organisation';
import { same, test } from './harness';

/** What thousands of agents are: digests, sums, dots and names. */

const AT = '2026-01-02T03:04:05.000000Z';

function company(teams: number, each: number): Organisation {
  const rows: Workspace[] = [];
  const add = (id: string, parent: string | null, more: Partial<Workspace> = {}) =>
    rows.push({ id, name: id, role: null, tier: 1, status: 'online', parent_id: parent, active_tasks: 0, runtime: 'echo', x: 0, y: 0, collapsed: false, current_task: '', last_sample_error: '', monthly_spend: 0, budget_limit: null, ...more });
  for (let team = 0; team < teams; team++) {
    add(`t${team}`, null);
    for (let i = 0; i < each; i++) add(`t${team}-${i}`, `t${team}`, { monthly_spend: i });
  }
  const org = nobody();
  replaceAgents(org, rows);
  return org;
}

const digest = (workspaces: object[], pairs: unknown[] = [], seq = 7) => ({ event: 'VIEW_DIGEST', workspace_id: '', timestamp: AT, payload: { events: 1, seq, workspaces, pairs } });

test('a digest changes how agents are, as the events it stands for would', () => {
  const org = company(1, 3);
  apply(org, digest([{ id: 't0-0', active_tasks: 1, current_task: 'reads' }, { id: 't0-1', status: 'failed', error: 'workspace start failed: no key' }, { id: 't0-2', status: 'offline', active_tasks: 3 }, { id: 'stranger', status: 'failed' }], [['t0', 't0-0', 2]]));
  same(['t0-0', 't0-1', 't0-2'].map((id) => moodOf(org, org.agents.get(id)!)), ['working', 'failed', 'away']);
  same([org.agents.get('t0-0')!.current_task, org.agents.get('t0-0')!.since, org.agents.get('t0-1')!.error], ['reads', Date.parse(AT), 'no key']);
  same([org.seq, org.beams.length, org.agents.size], [7, 1, 4]);
});

test('an event that a digest stood for already is not told twice', () => {
  const org = company(1, 1);
  apply(org, digest([{ id: 't0-0', status: 'offline' }], [], 9));
  apply(org, { event: 'WORKSPACE_ONLINE', workspace_id: 't0-0', timestamp: AT, payload: { name: 't0-0', status: 'online' }, seq: 9 });
  same(org.agents.get('t0-0')!.status, 'offline');
});

test('only who comes, leaves or moves makes the organisation another shape', () => {
  const org = company(1, 2);
  const { shape } = org;
  apply(org, { event: 'TASK_UPDATED', workspace_id: 't0-0', timestamp: AT, payload: { active_tasks: 1 } });
  apply(org, { event: 'WORKSPACE_OFFLINE', workspace_id: 't0-0', timestamp: AT, payload: { name: 'a', status: 'offline', parent_id: 't0' }, seq: 1 });
  same(org.shape, shape);
  apply(org, { event: 'WORKSPACE_MOVED', workspace_id: 't0-0', timestamp: AT, payload: { new_parent_id: null }, seq: 2 });
  apply(org, { event: 'WORKSPACE_REMOVED', workspace_id: 't0-1', timestamp: AT, payload: {}, seq: 3 });
  same(org.shape, shape + 2);
});

test('the sums of teams are those of everybody below, whatever the depth', () => {
  const org = company(2, 3);
  org.agents.get('t1')!.parent_id = 't0-0';
  org.agents.get('t1-2')!.active_tasks = 1;
  org.agents.get('t1-1')!.status = 'failed';
  const { all, below, working } = takenOf(org, treeOf(org.agents));
  same(below.get('t0'), { agents: 7, working: 1, needs: 0, failed: 1, spend: 6, unmetered: 0 });
  same(below.get('t1'), { agents: 3, working: 1, needs: 0, failed: 1, spend: 3, unmetered: 0 });
  same([all.agents, all.spend, below.has('t0-1'), working.map((one) => one.id)], [8, 6, false, ['t1-2']]);
});

test('more than some hundred agents are dots, and ten thousand of them fit a window', () => {
  same([24, 160, 600, 601].map(detailFor), ['cards', 'rows', 'chips', 'dots']);
  const org = company(100, 99);
  const drawn = layout(treeOf(org.agents), 'dots', () => false);
  same(drawn.boxes.length, 10_000);
  const ratio = drawn.w / drawn.h;
  if (ratio < 1.2 || ratio > 3.2) throw new Error(`not the shape of a window: ${drawn.w} x ${drawn.h}`);
});

test('a hundred and twenty names at most stand beside the dots, who needs somebody and who was chosen among them', () => {
  const org = company(300, 33);
  org.agents.get('t7-5')!.status = 'failed';
  const tree = treeOf(org.agents);
  const { moods } = takenOf(org, tree);
  const drawn = layout(tree, 'dots', () => false);
  for (const scale of [0.1, 0.5, 1, 2, 4]) {
    const labels = labelsOf({ layout: drawn, moods, found: null, scale, x: 0, y: 0, w: drawn.w * scale, h: drawn.h * scale }, () => 8, ['t200-9']);
    if (labels.length > LABELS_MAX) throw new Error(`${labels.length} at ${scale}`);
    same(['t7-5', 't200-9'].filter((id) => labels.some((label) => label.id === id)), ['t7-5', 't200-9']);
  }
});

test('search takes what was spent, and the dots that people write between', () => {
  const org = company(1, 200);
  const rich = org.agents.get('t0-150')!;
  same(['cost > $1', 'cost>1.50', 'cost < 2 · idle', 'idle · cost > $1 · t0-150', 'working · cost > $1'].map((query) => matches(org, rich, query)), [true, false, true, true, false]);
});
