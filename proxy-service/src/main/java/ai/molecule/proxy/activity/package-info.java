/**
 * What is told to other services after a call, off its path: activity rows and last-outbound marks, in bounded batches.
 */
@NullMarked
package ai.molecule.proxy.activity;

import org.jspecify.annotations.NullMarked;
