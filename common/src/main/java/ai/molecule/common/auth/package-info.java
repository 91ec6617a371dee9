/**
 * Bearers and what they prove. The registry knows tokens; every other service asks it over the bus and remembers the answer briefly.
 */
@NullMarked
package ai.molecule.common.auth;

import org.jspecify.annotations.NullMarked;
