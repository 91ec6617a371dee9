/** The client an agent uses to join the platform. */
@NullMarked
package ai.molecule.sdk;

import org.jspecify.annotations.NullMarked;
