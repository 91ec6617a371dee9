import { whenOf, whenWords } from '../../main/web/clockwords';
import { nobody, type Workspace } from '../../main/web/model';
import { apply, moodOf, replaceAgents } from '../../main/web/organisation';
import { actorWords, didWords } from '../../main/web/record';
import { factsOf } from '../../main/web/facts';
import { same, test } from './harness';

/** How the clock, the record and those who sleep read. */

test('what is chosen for a schedule reads back as it was chosen', () => {
  const read = (kind: string, value: string) => whenWords(whenOf(kind, value, 'Europe/Berlin'));
  same(read('day', '09:00'), 'every day at 09:00');
  same(read('weekdays', '08:05'), 'on weekdays at 08:05');
  same(read('0', '23:59'), 'every Sunday at 23:59');
  same(read('every', '90'), 'every 90 min');
  same(read('every', '60'), 'every hour');
  same(read('every', '1440'), 'every day');
  same(read('once', '2026-12-01T10:00'), 'once');
  same(read('cron', '*/5 9-17 * * 1-5'), '*/5 9-17 * * 1-5');
});

test('a schedule is said to the platform as its API has it', () => {
  same(whenOf('1', '07:30', 'Europe/Berlin'), { cron_expr: '30 7 * * 1', timezone: 'Europe/Berlin' });
  same(whenOf('every', '10', 'Europe/Berlin'), { every_seconds: 600 });
  same(whenOf('once', '2026-12-01T10:00', 'UTC'), { at: '2026-12-01T10:00:00', timezone: 'UTC' });
});

test('expressions of files read plainly where they are plain, and as they stand where they are not', () => {
  const words = (cron_expr: string) => whenWords({ cron_expr });
  same(['@hourly', '@every 600s', '0 * * * *', '15 * * * *', '0 9 1 * *', '0 9 * * 7', 'nonsense'].map(words), [
    'every hour', 'every 10 min', 'every hour', 'every hour, 15 min past', '0 9 1 * *', 'every Sunday at 09:00', 'nonsense',
  ]);
});

test('the record says in a sentence who did what, of kinds that nobody knows too', () => {
  const did = (verb: string, object = 'x', whose = 'Writer') => didWords({ verb, object }, whose);
  same(did('workspace.paused'), 'paused Writer');
  same(did('secret.changed', 'OPENAI_API_KEY'), 'changed the secret OPENAI_API_KEY of Writer');
  same(did('approval.approved'), 'approved what Writer asked');
  same(did('organisation_key.retired', 'k1', ''), 'retired the signing key of the organization');
  same(did('spell.cast', 'rain'), 'cast spell rain of Writer');
  same(did('request.refused', 'POST /workspaces/:id/a2a', ''), 'was refused: POST /workspaces/:id/a2a');
  same(actorWords({ kind: 'workspace', name: 'w' }, () => undefined), 'An agent');
  same(actorWords({ kind: 'person', name: 'Kim' }, () => undefined), 'Kim');
});

test('who falls asleep is asleep since then, and who is cut off is not merely paused', () => {
  const org = nobody();
  const row: Workspace = { id: 'a', name: 'A', role: null, tier: 1, status: 'online', parent_id: null, active_tasks: 0, runtime: 'echo', x: 0, y: 0, collapsed: false, current_task: '', last_sample_error: '', monthly_spend: 0, budget_limit: null };
  replaceAgents(org, [row]);
  const told = (event: string, status: string, seq: number) => apply(org, { event, workspace_id: 'a', timestamp: '2026-01-02T03:04:05Z', payload: { name: 'A', role: null, parent_id: null, status }, seq });
  told('WORKSPACE_HIBERNATED', 'hibernated', 1);
  const agent = org.agents.get('a')!;
  same([moodOf(org, agent), factsOf(org, agent, agent.since!).glyph, factsOf(org, agent, agent.since!).now, org.lately[0]!.text], ['asleep', '☾', 'hibernated', 'A was hibernated']);
  told('WORKSPACE_PAUSED', 'paused', 2);
  told('WORKSPACE_QUARANTINED', 'paused', 3);
  same(factsOf(org, agent, agent.since!).now, 'quarantined');
  told('WORKSPACE_RELEASED', 'paused', 4);
  same(factsOf(org, agent, agent.since!).now, 'paused');
});
