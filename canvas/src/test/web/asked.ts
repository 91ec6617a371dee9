import { askedBy } from '../../main/web/asked';
import type { Waiting } from '../../main/web/model';
import { same, test } from './harness';

const DIGEST = '6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d';

const approval = (details: Record<string, unknown>, text = 'deploy'): Waiting => ({
  id: 'r', kind: 'approval', part: 'decide', workspace_id: 'a', workspace_name: 'A', text, since: '2026-01-02T03:04:05Z', expires_at: null, position: 1, dismissible: false, details: { approval_id: 'p', ...details },
});

test('a decision names the digest of the row that is drawn, not of the one that came after it', () => {
  const drawn = approval({ action: 'deploy', reason: '', digest: DIGEST });
  approval({ action: 'delete', reason: '', digest: '0'.repeat(64) });
  same(askedBy(drawn), { action: 'deploy', reason: '', digest: DIGEST });
});

test('an approval from before digests names none', () => same(askedBy(approval({})), { action: 'deploy', reason: '' }));

test('what is not all here, or is rounded by browsers, is not approved', () => {
  for (const details of [{ context_left_out: true }, { context: null }, { action: 'x'.repeat(1_999) + '…' }, { reason: 'x'.repeat(1_999) + '…' }, { context: { n: [9007199254740993] } }])
    same(typeof askedBy(approval(details)), 'string');
  same(typeof askedBy(approval({}, 'x'.repeat(399) + '…')), 'string');
});
