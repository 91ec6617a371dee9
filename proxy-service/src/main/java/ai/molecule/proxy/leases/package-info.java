/**
 * Work that replicas share through a table: whoever claims a row holds it for a lease and renews that, and a row whose lease ends is
 * claimed anew. A claim is a number that grows, so whoever lost one notices.
 */
@NullMarked
package ai.molecule.proxy.leases;

import org.jspecify.annotations.NullMarked;
