/**
 * Configuration: every service reads its environment once, into a record that checks itself.
 */
@NullMarked
package ai.molecule.common.config;

import org.jspecify.annotations.NullMarked;
