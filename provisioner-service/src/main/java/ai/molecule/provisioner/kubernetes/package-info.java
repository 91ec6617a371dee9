/**
 * Agents as bare pods in a namespace of their own. {@link ai.molecule.provisioner.kubernetes.Manifests} says what is created for a
 * workspace, without a cluster; {@link ai.molecule.provisioner.kubernetes.KubernetesBackend} creates, watches and deletes it;
 * {@link ai.molecule.provisioner.kubernetes.Fences} says who may reach whom. Everything is named after the workspace, so whatever a
 * crash left half done is found and completed by the next try, and the API server itself refuses a second pod of one name.
 */
@NullMarked
package ai.molecule.provisioner.kubernetes;

import org.jspecify.annotations.NullMarked;
