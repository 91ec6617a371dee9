/**
 * Bundles: a workspace and everything below it as one JSON document, without secrets, and back (registry contract, 7.8). {@link
 * BundleExport} writes one, {@link Bundle} reads one, {@link BundleService} has it created.
 */
@NullMarked
package ai.molecule.provisioner.bundles;

import org.jspecify.annotations.NullMarked;
