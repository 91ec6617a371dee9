/**
 * Work that one workspace gives to another and does not wait for. Accepted means durable: a row says what is to be done, whoever
 * holds its lease does it, and another replica goes on when that one is gone. Before the first byte leaves the row says so;
 * from then on nothing is sent again, an answer that got lost is asked for by its messageId, and when that leads nowhere the
 * outcome is called unknown. The rows of activity that show a delegation change in the transaction that changes it.
 */
@NullMarked
package ai.molecule.proxy.delegations;

import org.jspecify.annotations.NullMarked;
