import { gaugesOf, ratesOf } from '../../main/web/gauges';
import { same, test } from './harness';

test('a gauge is the sum over its labels, and what is no number is not told', () => {
  const gauges = gaugesOf('# HELP x\nmolecule_delegations_open{status="pending",} 2.0\nmolecule_delegations_open{status="queued"} 3.5\nmolecule_queue_waiting NaN\nother 7\nmolecule_activity_waiting 1e1 1395066363000');
  same(gauges, { molecule_delegations_open: 5.5, molecule_activity_waiting: 10 });
});

test('a counter is told by how fast it grew, and not when it began anew', () => {
  const counted = (requests: number) => ({ molecule_http_requests_seconds_count: requests });
  same(ratesOf(counted(100), counted(150), 5), { 'molecule_http_requests_seconds_count/s': 10 });
  same([ratesOf(counted(100), counted(3), 5), ratesOf({}, counted(3), 5)], [{}, {}]);
});
