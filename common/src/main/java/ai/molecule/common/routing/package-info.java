/**
 * Which service owns which path: the one table that the front door and the tests read.
 */
@NullMarked
package ai.molecule.common.routing;

import org.jspecify.annotations.NullMarked;
