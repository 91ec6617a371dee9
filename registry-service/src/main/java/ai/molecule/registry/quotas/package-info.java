/**
 * What one workspace may keep. The limits are settings; the counting is done by triggers on the tables themselves
 * ({@code storage_usage}), and a write that went over a limit is taken back by its own transaction.
 */
@NullMarked
package ai.molecule.registry.quotas;

import org.jspecify.annotations.NullMarked;
