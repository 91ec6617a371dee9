/**
 * Plugins: abilities that are put into a workspace's {@code /configs/plugins}. The registry is a folder of this machine; a plugin
 * comes from there or from a repository. It is staged first, out of everybody's reach, where it is unpacked, measured and
 * checked; only a plugin that passed goes to a workspace or into a download. The agent learns of it by a restart, which the
 * registry remembers.
 */
@NullMarked
package ai.molecule.provisioner.plugins;

import org.jspecify.annotations.NullMarked;
