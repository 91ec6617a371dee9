/**
 * What is written down of a call: rows of activity, in groups that slow callers down when they are not written fast enough; and who sent, for
 * the registry.
 */
@NullMarked
package ai.molecule.proxy.activity;

import org.jspecify.annotations.NullMarked;
