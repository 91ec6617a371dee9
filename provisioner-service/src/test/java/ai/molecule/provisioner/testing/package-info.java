/** What the provisioner's tests share: a registry in memory, agents that are shell scripts, a reconciler with short times. */
@NullMarked
package ai.molecule.provisioner.testing;

import org.jspecify.annotations.NullMarked;
