import { differencesOf, linesOf } from '../../main/web/differences';
import { toldInShort } from '../../main/web/moves';
import { nobody, type LoggedEvent } from '../../main/web/model';
import { pastOf, pieceThen, type ChartRow } from '../../main/web/past';
import { blocksOf } from '../../main/web/reader';
import { inOrder, sumsOf, waterfallOf } from '../../main/web/waterfall';
import { pathOf, type PieceOfWork, type Task } from '../../main/web/work';
import { asked, fixIn, money } from '../../main/web/words';
import { same, test } from './harness';

/** Pieces of work and moments that are over. */

const BEGIN = Date.parse('2026-01-02T03:00:00Z');
const at = (second: number): string => new Date(BEGIN + second * 1000).toISOString();

const task = (id: string, parent: string | null, from: number, to: number | null, more: Partial<Task> = {}): Task => ({
  id, parent_id: parent, kind: 'message', source_id: parent && 'lead', target_id: id, preview: id, state: to === null ? 'running' : 'ok',
  started_at: at(from), ended_at: to === null ? null : at(to), ...more,
});

const row = (id: string, status = 'online'): ChartRow => ({ id, name: id, role: null, parent_id: null, status });

const event = (seq: number, name: string, second: number, payload: Record<string, unknown>): LoggedEvent => ({
  event_type: name, workspace_id: 'writer', payload, created_at: at(second), seq,
});

// --- waterfalls ---------------------------------------------------------------------------------------------------------

test('tasks stand below what they were begun for, in the order they began', () => {
  const tree = [task('a', null, 0, 9), task('b', 'a', 1, 3), task('c', 'b', 2, 3), task('d', 'a', 4, 5), task('lost', 'nobody', 5, 6)];
  same(inOrder(tree).map(({ task, depth }) => `${task.id}${depth}`), ['a0', 'b1', 'c2', 'd1', 'lost0']);
});

test('a circle of tasks, which nobody makes, is drawn once', () => {
  same(inOrder([task('a', 'b', 0, 1), task('b', 'a', 0, 1)]).length, 2);
});

test('bars are as long as their tasks', () => {
  const fall = waterfallOf({ tree: [task('a', null, 0, 20), task('b', 'a', 5, 10)], created_at: at(0), ended_at: at(20) }, BEGIN);
  same(fall.bars.map((bar) => [bar.from, bar.to]), [[0, 1], [0.25, 0.5]]);
  same(fall.folds, []);
});

test('a long wait in which nothing begins or ends is folded, and said to be', () => {
  const fall = waterfallOf({ tree: [task('a', null, 0, 3700), task('b', 'a', 10, 20), task('c', 'a', 3690, 3700)], created_at: at(0), ended_at: at(3700) }, BEGIN);
  same(fall.folds.map((fold) => fold.millis), [3_670_000]);
  same(fall.bars.map((bar) => Math.round(bar.to * 60)), [60, 20, 60]); // 20 s, 30 s for the wait, 10 s
});

test('what is running reaches to now', () => {
  const fall = waterfallOf({ tree: [task('a', null, 0, null)], created_at: at(0), ended_at: null }, BEGIN + 4_000);
  same([fall.bars[0]!.to, fall.end - fall.begin], [1, 4_000]);
});

test('a piece says how many took part', () => {
  same(sumsOf({ tree: [task('a', null, 0, 1), task('b', 'a', 0, 1), task('b', 'a', 0, 1)], words: [] }), { agents: 2, messages: 0 });
});

// --- moments that are over ----------------------------------------------------------------------------------------------

test('who worked at a moment, and what had just been sent', () => {
  const tasks = [task('lead', null, 0, 20), task('tester', 'lead', 5, 12), task('writer', 'lead', 13, 20)];
  const then = (second: number) => pastOf(BEGIN + second * 1000, [row('lead'), row('tester'), row('writer')], [], tasks, nobody());
  const working = (second: number) => [...then(second).agents.values()].filter((one) => one.active_tasks).map((one) => one.id);
  same([working(2), working(6), working(12), working(25)], [['lead'], ['lead', 'tester'], ['lead'], []]);
  same([then(6).beams.map((beam) => `${beam.from}>${beam.to}`), then(9).beams], [['lead>tester'], []]);
});

test('a piece of work at a moment is not what became of it later', () => {
  const piece: PieceOfWork = {
    id: 'w', title: 't', to: 'lead', state: 'done', limit: null, cost: 0.4, due: null, asked_by: 'chat', created_at: at(0), ended_at: at(20), brief: 't',
    tree: [task('lead', null, 0, 20), task('tester', 'lead', 5, 12)], files: [{ uri: 'u', name: 'n', mimeType: null, workspace_id: 'lead' }],
    words: [{ task_id: 'lead', kind: 'message', from: null, to: 'lead', text: 'do', at: at(0) }, { task_id: 'lead', kind: 'answer', from: 'lead', to: null, text: 'done', at: at(20) }],
  };
  const then = (second: number) => {
    const one = pieceThen(piece, BEGIN + second * 1000);
    return one && [one.state, one.cost, one.words.length, one.files.length, one.tree.map((task) => task.state).join()];
  };
  same([then(-1), then(3), then(10), then(20)], [null, ['working', null, 1, 0, 'running'], ['working', null, 1, 0, 'running,running'], ['done', 0.4, 2, 1, 'ok,ok']]);
});

test('an approval is open from when it was asked until it was decided', () => {
  const events = [event(2, 'APPROVAL_DECIDED', 20, { approval_id: 'p' }), event(1, 'APPROVAL_REQUESTED', 10, { approval_id: 'p', action: 'publish', reason: 'why' })];
  const open = (second: number) => [...pastOf(BEGIN + second * 1000, [row('writer')], events, [], nobody()).waiting.values()].map((one) => one.text);
  same([open(5), open(10), open(15), open(25)], [[], ['publish'], ['publish'], []]);
});

test('what was broken at a moment waited to be mended, and a lost answer for somebody to look', () => {
  const events = [event(1, 'DELEGATION_FAILED', 10, { delegation_id: 'd', target_id: 'tester', error: 'lost', outcome: 'unknown' })];
  const kinds = (status: string) => [...pastOf(BEGIN + 15_000, [row('writer', status)], events, [], nobody()).waiting.values()].map((one) => one.kind);
  same([kinds('online'), kinds('failed')], [['outcome_unknown'], ['outcome_unknown', 'failed']]);
});

test('the same moment is the same picture, in whatever order it was told', () => {
  const rows = [row('b'), row('a'), row('c', 'paused')];
  const seen = (order: ChartRow[]) => [...pastOf(BEGIN, order, [], [], nobody()).agents.values()];
  same(seen(rows), seen([...rows].reverse()));
});

test('somebody who fell silent is not said to work, whatever was under way', () => {
  const org = pastOf(BEGIN + 1000, [row('a', 'offline')], [], [task('a', null, 0, 20)], nobody());
  same(org.agents.get('a')!.current_task, '');
});

// --- files --------------------------------------------------------------------------------------------------------------

test('of markup only the words are kept', () => {
  same(blocksOf('r.html', '<title>x</title><script>bad()</script><h1 onclick=y>A &lt;b&gt;</h1><ul><li>one <b>two</b></li><li>3</li></ul><p>end &amp; all'), [
    { kind: 'title', text: 'A <b>' }, { kind: 'item', text: 'one two' }, { kind: 'item', text: '3' }, { kind: 'text', text: 'end & all' },
  ]);
  same(blocksOf('r.html', ''), []);
  same(blocksOf('r.html', '<'.repeat(10_000)).length, 1);
});

test('a file that is made to take long is read like another', () => {
  const many = 400_000;
  const words = (html: string): string[] => blocksOf('r.html', html).map((block) => block.text);
  same(words('<'.repeat(many)).length, 1);
  same(words(`a<p>${'<!--'.repeat(many / 4)}`), ['a']);
  same(words(`a<p>${'<script>'.repeat(many / 8)}`), ['a']);
  same(words(`a<p>${'<title></title '.repeat(many / 16)}`), ['a']);
  same(words(`a<${' '.repeat(many)}>b`), ['a< >b']);
  same(words(`<!-- <p>x --><header>a</header>${'<style></STYLE >'.repeat(many / 16)}b`), ['ab']);
});

test('what an agent printed is read like other words, however many blanks are in it', () => {
  const many = 400_000;
  same([fixIn(`${'\n'.repeat(many)}x\r\n  Fix: add the key\nmore`), fixIn('\r'.repeat(many))], ['add the key', undefined]);
  same([asked(`${' '.repeat(many)}x`).length, asked(`go on${' '.repeat(many)}(work 1a-2b)`)], [many + 1, 'go on']);
});

test('markdown and plain files are read as they are meant', () => {
  same(blocksOf('a.md', '# T\n\ntext\n- item\n```\ncode\n```').map((block) => block.kind), ['title', 'text', 'item', 'code']);
  same(blocksOf('a.csv', 'a,b\n1,2'), [{ kind: 'code', text: 'a,b\n1,2' }]);
});

test('only files of agents are read through the platform', () => {
  same([pathOf('workspace:/workspace/out/r.html'), pathOf('https://elsewhere/x'), pathOf('/etc/passwd'), pathOf('workspace:/workspace/')], ['/workspace/out/r.html', null, null, null]);
});

test('money is not rounded away, and names of recorded work are left out', () => {
  same([money(0), money(0.001), money(2.5)], ['$0.00', '<$0.01', '$2.50']);
  same([asked('Run it (work 02557322-5f33)'), asked('Run it (work 0255'), asked('a (work of art)')], ['Run it', 'Run it', 'a (work of art)']);
});

// --- versions and moves -------------------------------------------------------------------------------------------------

test('two versions differ member by member, and of secrets only whether they are there', () => {
  const then = { name: 'A', role: null, config: { tone: 'dry', same: [1] }, files: { 'a.md': 'x' }, secrets: { KEY: '2026-01-01' } };
  const now = { name: 'B', role: '', config: { tone: 'warm', same: [1], more: { deep: 1 } }, files: {}, secrets: { KEY: '2026-02-02' } };
  same(differencesOf(then, now).map((one) => [one.setting, one.then, one.now]), [
    ['config.more', null, '{\n  "deep": 1\n}'], ['config.tone', 'dry', 'warm'], ['files.a.md', 'x', null], ['name', 'A', 'B'],
  ]);
  same(differencesOf(then, then), []);
});

test('of a long text the lines that changed are shown, with two around', () => {
  const text = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const changed = text.map((line, i) => (i === 15 ? 'another' : line));
  same(linesOf(text.join('\n'), changed.join('\n')).map((line) => `${line.kind[0]}${line.text}`), [
    'f', 'sline 13', 'sline 14', 'gline 15', 'nanother', 'sline 16', 'sline 17', 'f',
  ]);
  same(linesOf('', 'a').map((line) => line.kind), ['gone', 'new']);
  same(linesOf('x\n'.repeat(5_000), '').length, 5_002);
});

test('a move is told in one line', () => {
  const none = { count: 0, workspaces: [] };
  const told = { gains: none, loses: none, gains_secrets: [], loses_secrets: [], would_stop: null };
  same(toldInShort(told), 'may talk to the same agents as now');
  same(toldInShort({ ...told, loses: { count: 2, workspaces: [] }, gains_secrets: ['A'], would_stop: [{ id: '1', source_id: null, target_id: 'x', preview: '' }] }), 'no longer to 2, gets 1 secret, 1 task under way would stop');
});
