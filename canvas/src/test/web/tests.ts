import { factsOf } from '../../main/web/facts';
import { changeWaiting, openRows, replaceWaiting, rowOf } from '../../main/web/inbox';
import { layout, slotAt, teamAt, type Box } from '../../main/web/layout';
import { nobody, type Agent, type Envelope, type Organisation, type Waiting, type Workspace } from '../../main/web/model';
import {
  answerText, apply, fade, inPlace, matches, moodOf, moveSays, placesFor, recall, replaceAgents, treeOf,
} from '../../main/web/organisation';
import { events } from '../../main/web/talk';
import { clip, elapsed, taskWords, waiting, withoutVerb } from '../../main/web/words';
import { same, test, tests } from './harness';
import './clock';
import './configs';
import './gauges';
import './history';
import './large';
import './rows';
import './ways';
import './visible';
import './asked';

/** The page's own logic, without the page. Each test is a sentence; PageLogicTest reads what became of them. */

const AT = '2026-01-02T03:04:05.000000Z';
const AT_MILLIS = Date.parse(AT);

const workspace = (id: string, parent: string | null = null, more: Partial<Workspace> = {}): Workspace => ({
  id, name: id, role: null, tier: 1, status: 'online', parent_id: parent, active_tasks: 0, runtime: 'echo', x: 0, y: 0, collapsed: false,
  current_task: '', last_sample_error: '', monthly_spend: 0, budget_limit: null, ...more,
});

function organisation(...rows: Workspace[]): Organisation {
  const org = nobody();
  replaceAgents(org, rows);
  return org;
}

const event = (name: string, id: string, payload: Record<string, unknown> = {}, seq?: number): Envelope => ({
  event: name, workspace_id: id, timestamp: AT, payload, ...(seq === undefined ? {} : { seq }),
});

const agent = (org: Organisation, id: string): Agent => org.agents.get(id)!;

// --- what follows from events ----------------------------------------------------------------------------------------

test('a newcomer appears under its parent, at its place from the parent', () => {
  const org = organisation(workspace('lead', null, { x: 100, y: 50 }));
  apply(org, event('WORKSPACE_PROVISIONING', 'new', { name: 'New', role: 'r', status: 'provisioning', parent_id: 'lead', x: 16, y: 130, tier: 2, runtime: 'echo' }, 1));
  same([agent(org, 'new').parent_id, agent(org, 'new').x, agent(org, 'new').y, moodOf(org, agent(org, 'new'))], ['lead', 116, 180, 'away']);
});

test('an event that was told before changes nothing', () => {
  const org = organisation(workspace('a'));
  apply(org, event('WORKSPACE_PAUSED', 'a', { name: 'a', status: 'paused' }, 5));
  apply(org, event('WORKSPACE_ONLINE', 'a', { name: 'a', status: 'online' }, 4));
  same([agent(org, 'a').status, org.seq], ['paused', 5]);
});

test('unknown events, and events of nobody, change nothing but the position', () => {
  const org = organisation(workspace('a'));
  const before = JSON.stringify([...org.agents]);
  apply(org, event('SOMETHING_NEW', 'a', { status: 7, name: {} }, 1));
  apply(org, event('WORKSPACE_PAUSED', 'stranger', { name: 's', status: 'paused' }, 2));
  apply(org, { event: 'TASK_UPDATED', workspace_id: 'a', timestamp: 'no time', payload: { active_tasks: 'many' } });
  same([JSON.stringify([...org.agents]), org.seq], [before, 2]);
});

test('a task makes an agent work since then, its end idle', () => {
  const org = organisation(workspace('a'));
  apply(org, event('TASK_UPDATED', 'a', { current_task: 'tests 3 of 5', active_tasks: 1 }));
  same([moodOf(org, agent(org, 'a')), agent(org, 'a').current_task, agent(org, 'a').since], ['working', 'tests 3 of 5', AT_MILLIS]);
  apply(org, event('TASK_UPDATED', 'a', { current_task: '', active_tasks: 0 }));
  same(moodOf(org, agent(org, 'a')), 'idle');
});

test('a provider that makes an agent wait is named, and the seconds go down', () => {
  const org = organisation(workspace('a'));
  apply(org, event('TASK_UPDATED', 'a', { current_task: 'tests', active_tasks: 1 }));
  apply(org, event('MODEL_WAITING', 'a', { provider: 'anthropic', seconds: 40, until: 'then' }));
  same([0, 12_300, 39_999, 40_000].map((gone) => factsOf(org, agent(org, 'a'), AT_MILLIS + gone).now), ['Anthropic asks us to wait 40 s', 'Anthropic asks us to wait 28 s', 'Anthropic asks us to wait 1 s', 'tests']);
});

test('a start that failed says why, and a good one forgets it', () => {
  const org = organisation(workspace('a'));
  apply(org, event('WORKSPACE_PROVISION_FAILED', 'a', { name: 'a', status: 'failed', error: 'no key' }, 1));
  same([moodOf(org, agent(org, 'a')), agent(org, 'a').error], ['failed', 'no key']);
  apply(org, event('WORKSPACE_ONLINE', 'a', { name: 'a', status: 'online' }, 2));
  same([moodOf(org, agent(org, 'a')), agent(org, 'a').error], ['idle', '']);
});

const waits = (id: string, of: string, more: Partial<Waiting> = {}): Waiting => ({
  id, kind: 'approval', part: 'decide', workspace_id: of, workspace_name: of, text: 'publish', since: AT, expires_at: null, position: 1, dismissible: false,
  details: { approval_id: `approval-${id}` }, ...more,
});

test('what waits makes its agent need the person until the inbox says that it waits no more', () => {
  const org = organisation(workspace('a'));
  changeWaiting(org, [waits('1', 'a')], []);
  same([moodOf(org, agent(org, 'a')), rowOf(org, 'approval-1')?.id, rowOf(org, '1')?.id], ['needs', '1', '1']);
  changeWaiting(org, [], ['1', 'never heard of']);
  same([moodOf(org, agent(org, 'a')), openRows(org).length], ['idle', 0]);
});

test('what was decided here needs nobody, and asks anew when it is another question', () => {
  const org = organisation(workspace('a'));
  replaceWaiting(org, [waits('1', 'a', { kind: 'question' })]);
  org.answers.set('1', { state: 'decided', position: 1, said: 'Answered', effectAt: 0, note: '' });
  same([moodOf(org, agent(org, 'a')), openRows(org).length], ['idle', 0]);
  replaceWaiting(org, [waits('1', 'a', { kind: 'question' })]);
  same(openRows(org).length, 0);
  changeWaiting(org, [waits('1', 'a', { kind: 'question', position: 2 })], []);
  same([moodOf(org, agent(org, 'a')), openRows(org).length, org.answers.size], ['needs', 1, 0]);
});

test('decisions stand before what is to be mended, the longest waiting first; kinds that nobody knows are rows too', () => {
  const org = organisation(workspace('a'));
  replaceWaiting(org, [
    waits('broken', 'a', { kind: 'failed', part: 'fix', since: '2025-01-01T00:00:00Z' }), waits('new', 'a', { since: '2026-01-02T00:00:00Z' }),
    waits('old', 'a', { kind: 'something of tomorrow', since: '2026-01-01T00:00:00Z' }),
  ]);
  same(openRows(org).map((row) => row.id), ['old', 'new', 'broken']);
});

test('an outcome that is unknown is neither done nor failed, and most of a budget stops nobody', () => {
  const org = organisation(workspace('a'), workspace('b'), workspace('c'));
  replaceWaiting(org, [waits('1', 'a', { kind: 'outcome_unknown' }), waits('2', 'b', { kind: 'budget', details: { percent: 80 } }), waits('3', 'c', { kind: 'budget', details: { percent: 100 } })]);
  same(['a', 'b', 'c'].map((id) => moodOf(org, agent(org, id))), ['doubt', 'idle', 'needs']);
});

test('how an approval ended is remembered, by whom or by time', () => {
  const org = organisation(workspace('a'));
  apply(org, event('APPROVAL_DENIED', 'a', { approval_id: '1', decided_by: 'Kim' }, 1));
  apply(org, event('APPROVAL_DENIED', 'a', { approval_id: '2', decided_by: '', decided_with: 'expiry' }, 2));
  same([org.settled.get('1'), org.settled.get('2')?.by, org.lately.at(-1)!.text], [{ approved: false, by: 'Kim', at: AT_MILLIS, workspaceId: 'a' }, '', 'Kim denied: a request of a']);
});

test('what nobody decided in time is told as that, and leads to where it is asked for again', () => {
  const org = organisation(workspace('a'));
  apply(org, event('APPROVAL_DENIED', 'a', { approval_id: '7', decided_by: '', decided_with: 'expiry' }, 1));
  same([org.lately[0]!.text, org.lately[0]!.missed], ['Approval of a expired', '7']);
});

test('whoever is removed takes along what waits there, and its beams', () => {
  const org = organisation(workspace('a'), workspace('b', 'a'));
  replaceWaiting(org, [waits('1', 'b'), waits('2', 'a')]);
  apply(org, event('ACTIVITY_LOGGED', 'b', { activity_type: 'a2a_receive', source_id: 'a' }));
  apply(org, event('WORKSPACE_REMOVED', 'b', { name: 'b', status: 'removed' }, 2));
  same([org.agents.size, [...org.waiting.keys()], org.beams.length], [1, ['2'], 0]);
});

test('at most thirty beams, one a pair, gone after two seconds', () => {
  const org = organisation(...Array.from({ length: 50 }, (_, i) => workspace(`a${i}`)));
  for (let i = 1; i < 50; i++) {
    apply(org, event('ACTIVITY_LOGGED', 'a0', { activity_type: 'a2a_receive', source_id: `a${i}` }));
    apply(org, event('ACTIVITY_LOGGED', 'a0', { activity_type: 'a2a_receive', source_id: `a${i}` }));
  }
  same([org.beams.length, org.beams.at(-1)!.from], [30, 'a49']);
  same([fade(org, AT_MILLIS + 1_999), fade(org, AT_MILLIS + 2_000)], [true, false]);
});

test('a change by PATCH changes what it names and nothing that is not a setting', () => {
  const org = organisation(workspace('a'));
  apply(org, event('WORKSPACE_UPDATED', 'a', { name: 'B', status: 'online', changed: { name: 'B', x: 5, y: 7, collapsed: true, id: 'evil', __proto__: 1 } }, 1));
  same([agent(org, 'a').id, agent(org, 'a').name, agent(org, 'a').x, agent(org, 'a').y, agent(org, 'a').collapsed], ['a', 'B', 5, 7, true]);
});

test('reading everybody again keeps since when they do what they do', () => {
  const org = organisation(workspace('a'), workspace('b'));
  apply(org, event('WORKSPACE_PAUSED', 'a', { name: 'a', status: 'paused' }, 1));
  replaceAgents(org, [workspace('a', null, { status: 'paused' }), workspace('b', null, { status: 'paused' })]);
  same([agent(org, 'a').since, agent(org, 'b').since], [AT_MILLIS, null]);
});

test('the newest recorded events say since when and why', () => {
  const org = organisation(workspace('a', null, { status: 'failed' }));
  const row = (event_type: string, seq: number, payload: Record<string, unknown>, created_at: string) => ({ event_type, seq, workspace_id: 'a', payload, created_at });
  recall(org, [
    row('WORKSPACE_PROVISION_FAILED', 2, { name: 'a', status: 'failed', error: 'no such program' }, AT),
    row('WORKSPACE_PROVISIONING', 1, { name: 'a', status: 'provisioning' }, '2026-01-01T00:00:00Z'),
  ]);
  same([agent(org, 'a').since, agent(org, 'a').error, org.lately.length], [AT_MILLIS, 'no such program', 1]);
});

// --- who is under whom ------------------------------------------------------------------------------------------------

test('places are read like text, those nobody placed follow by age', () => {
  const org = organisation(workspace('c'), workspace('b', null, { x: 10, y: 200 }), workspace('a', null, { x: 300, y: 20 }), workspace('z', null, { x: 1, y: 30 }), workspace('d'));
  same(treeOf(org.agents).roots.map((one) => one.id), ['z', 'a', 'b', 'c', 'd']);
});

test('places that are given draw siblings in that order', () => {
  const org = organisation(...['a', 'b', 'c', 'd', 'e'].map((id) => workspace(id, null)));
  const wanted = ['d', 'a', 'e', 'c', 'b'].map((id) => agent(org, id));
  for (const { id, x, y } of placesFor(wanted, { x: 40, y: 70 })) Object.assign(agent(org, id), { x, y });
  same([...org.agents.values()].sort(inPlace).map((one) => one.id), ['d', 'a', 'e', 'c', 'b']);
  same(placesFor(wanted, { x: 40, y: 70 }), []);
});

test('a parent that is not there, and a circle of parents, still show everybody once', () => {
  const org = organisation(workspace('a', 'gone'), workspace('b', 'c'), workspace('c', 'b'), workspace('d', 'c'));
  const tree = treeOf(org.agents);
  same([tree.roots.map((one) => one.id), [...tree.childrenOf].map(([id, below]) => [id, below.map((one) => one.id)])], [['a', 'b'], [['b', ['c']], ['c', ['d']]]]);
  same(layout(tree, 'cards', () => false).boxes.length, 4);
});

test('a move says whom it adds and whom it takes', () => {
  const org = organisation(workspace('lead'), workspace('a', 'lead'), workspace('b', 'lead'), workspace('x', 'lead'), workspace('x1', 'x'));
  same(moveSays(org.agents, agent(org, 'a'), 'x'), 'may then talk to 1 more, no longer to 2');
  same(moveSays(org.agents, agent(org, 'a'), 'lead'), 'may talk to the same agents as now');
});

test('search takes every word, in names, roles, tasks and moods', () => {
  const org = organisation(workspace('a', null, { name: 'Anna Ärmel', role: 'Tester', active_tasks: 1, current_task: 'the release' }));
  same(['ärmel', 'tester release', 'working', 'idle', 'anna nobody', '  '].map((query) => matches(org, agent(org, 'a'), query)), [true, true, true, false, false, true]);
});

test('search takes an owner, a role and a status by name, and the words beside them', () => {
  const org = organisation(workspace('a', null, { name: 'Anna', role: 'Tries to break it', status: 'paused' }));
  const of = (query: string) => matches(org, agent(org, 'a'), query, undefined, () => 'kim ärmel');
  same(['owner kim', 'owner: "kim ä"', 'owner ada', 'role:break anna', 'role builds', 'status paused', 'status=idle', 'status', 'owner kim · cost < $1'].map(of), [true, true, false, true, false, true, false, false, true]);
  same(['restart anna', 'anna restart', 'restart'].map(withoutVerb), ['anna', 'anna restart', 'restart']);
});

// --- where they stand -------------------------------------------------------------------------------------------------

function big(): Organisation {
  const rows: Workspace[] = [workspace('root')];
  for (let team = 0; team < 12; team++) {
    rows.push(workspace(`t${team}`, 'root'));
    for (let i = 0; i < (team * 7) % 11; i++) rows.push(workspace(`t${team}-${i}`, `t${team}`));
    if (team % 3 === 0) for (let i = 0; i < 4; i++) rows.push(workspace(`t${team}-0-${i}`, `t${team}-0`));
  }
  return organisation(...rows);
}

const over = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

for (const detail of ['cards', 'rows', 'chips'] as const) {
  test(`no two ${detail} lie over each other, and all lie in their team`, () => {
    const org = big();
    const tree = treeOf(org.agents);
    const drawn = layout(tree, detail, () => false);
    same(drawn.boxes.length, org.agents.size);
    const boxes = new Map(drawn.boxes.map((box) => [box.id, box]));
    for (const a of drawn.boxes) {
      if (a.x < 0 || a.y < 0 || a.x + a.w > drawn.w || a.y + a.h > drawn.h) throw new Error(`${a.id} is outside`);
      for (const b of drawn.boxes) {
        const siblings = a.id < b.id && agent(org, a.id).parent_id === agent(org, b.id).parent_id;
        if (siblings && over(a, b)) throw new Error(`${a.id} lies over ${b.id}`);
      }
      const team = boxes.get(agent(org, a.id).parent_id ?? '');
      if (team && (a.x < team.x || a.x + a.w > team.x + team.w || a.y < team.y + team.head || a.y + a.h > team.y + team.h)) throw new Error(`${a.id} leaves ${team.id}`);
    }
  });
}

test('the same organisation is drawn the same, in whatever order it was heard of', () => {
  const org = big();
  for (const one of org.agents.values()) Object.assign(one, { x: (one.order * 37) % 900, y: (one.order * 91) % 700 });
  const turned = nobody();
  turned.agents = new Map([...org.agents].reverse());
  same(layout(treeOf(turned.agents), 'cards', () => false).boxes, layout(treeOf(org.agents), 'cards', () => false).boxes);
});

test('a folded team hides those in it and is one row high', () => {
  const org = organisation(workspace('lead'), workspace('a', 'lead'), workspace('b', 'lead'));
  const drawn = layout(treeOf(org.agents), 'cards', () => true);
  same([drawn.boxes.length, drawn.boxes[0]!.h, drawn.boxes[0]!.folded], [1, 78, true]);
});

test('5,000 agents are laid out within 200 ms', () => {
  const rows = [workspace('root')];
  for (let i = 0; i < 4_999; i++) rows.push(workspace(`a${i}`, i < 200 ? 'root' : `a${i % 200}`));
  const org = organisation(...rows);
  layout(treeOf(org.agents), 'chips', () => false);
  const start = performance.now();
  layout(treeOf(org.agents), 'chips', () => false);
  const took = performance.now() - start;
  if (took > 200) throw new Error(`took ${took} ms`);
});

test('what is dropped goes to the innermost team there, not into itself', () => {
  const org = organisation(workspace('lead'), workspace('team', 'lead'), workspace('a', 'team'));
  const { boxes } = layout(treeOf(org.agents), 'cards', () => false);
  const inner = boxes.find((box) => box.id === 'a')!;
  const at = (except: string[]) => teamAt(boxes, inner.x + 5, inner.y + 5, new Set(except))?.id ?? null;
  same([at([]), at(['team', 'a']), teamAt(boxes, -50, -50, new Set())], ['team', 'lead', null]);
});

test('a drop is before whom it is left of or above', () => {
  const row = (x: number, y: number): Box => ({ id: `${x}`, kind: 'agent', x, y, w: 100, h: 50, head: 0, depth: 1, folded: false });
  const boxes = [row(0, 0), row(110, 0), row(0, 60)];
  same([slotAt(boxes, 10, 10), slotAt(boxes, 90, 10), slotAt(boxes, 300, 10), slotAt(boxes, 90, 70), slotAt([], 1, 1)], [0, 1, 2, 3, 0]);
});

// --- words --------------------------------------------------------------------------------------------------------------

test('words of others become one line, cut between characters', () => {
  same(clip(' a\n\n b\t', 10), 'a b');
  same(clip('🙂🙂🙂🙂', 3), '🙂🙂…');
  same(clip('x'.repeat(10_000), 5), 'xxxx…');
  same(clip('delete \u202eevihcra\u202c', 40), 'delete ⟨U+202E⟩evihcra⟨U+202C⟩');
});

test('what the platform tells one that came back is not shown as its task', () => {
  same([taskWords('=== WORKSPACE RESTART CONTEXT === Restart at: now', 120), taskWords('fix  test 3', 120)], ['reading what it did before it was restarted', 'fix test 3']);
});

test('how long is said briefly', () => {
  same([elapsed(52_000), elapsed(723_000), elapsed(3_723_000), elapsed(-5), waiting(1), waiting(360_000), waiting(7_300_000), waiting(300 * 3_600_000)], ['0:52', '12:03', '1:02:03', '0:00', 'just now', '6 min', '2 h', '12 days']);
});

test('the words of an answer are found in every form it takes', () => {
  const parts = [{ kind: 'text', text: 'hi' }, { kind: 'file' }, { text: 'there' }];
  same(answerText({ result: { kind: 'message', parts } }), 'hi\nthere');
  same(answerText({ result: { kind: 'task', artifacts: [{ parts }, { parts: [] }, { parts }] } }), 'hithere\nhithere'); // an artifact's parts are pieces of one text
  same(answerText({ result: { kind: 'task', status: { message: { parts } } } }), 'hi\nthere');
  same(answerText({ result: { task: { artifacts: [{ parts }] } } }), 'hithere');
  same(answerText({ result: { kind: 'task', status: { state: 'input-required', message: { parts: [{ text: 'which?' }] } }, artifacts: [{ parts }] } }), 'which?\nhithere');
  same(answerText({ result: { message: { parts } } }), 'hi\nthere');
  same(answerText({ error: { message: 'no' } }), 'no');
  same([null, undefined, 5, 'x', {}, { result: null }, { result: { parts: 'x' } }, { result: { artifacts: [null] } }].map((odd) => { try { return answerText(odd); } catch { return 'threw'; } }), ['', '', '', '', '', '', '', '']);
});

test('an event stream is read whole however it is cut', async () => {
  const bytes = new TextEncoder().encode(': hello\n\nid: 1\ndata: {"a":"ü🙂"}\n\ndata: {"b":\ndata: 2}\n\n');
  for (let size = 1; size < 9; size++) {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, (at += size)));
      },
    });
    const heard: unknown[] = [];
    for await (const one of events(new Response(body))) heard.push(one);
    same(heard, [{ a: 'ü🙂' }, { b: 2 }]);
  }
});

async function run(): Promise<void> {
  const results: { name: string; failure: string | null }[] = [];
  for (const [name, body] of tests) {
    try {
      await body();
      results.push({ name, failure: null });
    } catch (failure) {
      results.push({ name, failure: failure instanceof Error ? `${failure.message}\n${failure.stack}` : String(failure) });
    }
  }
  Object.assign(globalThis, { results: JSON.stringify(results) });
}

void run();
