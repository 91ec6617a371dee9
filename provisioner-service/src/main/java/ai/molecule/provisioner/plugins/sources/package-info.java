/**
 * Where plugins come from. A source puts the files of a plugin into an empty folder of the staging, within {@link
 * ai.molecule.provisioner.plugins.sources.FetchLimits}, and believes nothing of what it reads; what comes of the files is not its
 * business.
 */
@NullMarked
package ai.molecule.provisioner.plugins.sources;

import org.jspecify.annotations.NullMarked;
