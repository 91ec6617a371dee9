/** Logs that programs write by themselves, and how they stay within a bound. */
@NullMarked
package ai.molecule.common.logs;

import org.jspecify.annotations.NullMarked;
