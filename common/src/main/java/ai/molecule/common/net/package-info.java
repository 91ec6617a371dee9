/**
 * What the platform dials: address rules, and a dialer that connects to exactly the address that passed them. And ports for what it
 * starts itself.
 */
@NullMarked
package ai.molecule.common.net;

import org.jspecify.annotations.NullMarked;
