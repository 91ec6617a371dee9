/**
 * What the routes of this service read from a request in the same way.
 */
@NullMarked
package ai.molecule.registry.http;

import org.jspecify.annotations.NullMarked;
