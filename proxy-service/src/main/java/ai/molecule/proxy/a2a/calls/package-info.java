/**
 * One message at one agent: dialled, bounded, its answer recorded, and going on without whoever waited for it. What is in flight
 * here may be let go while a person is asked, or found again by a replica that takes a stream over.
 */
@NullMarked
package ai.molecule.proxy.a2a.calls;

import org.jspecify.annotations.NullMarked;
