/**
 * The manifests under {@code k8s/}, held against what they deploy. No cluster is needed and none is asked:
 * {@link ai.molecule.system.kubernetes.Rendered} puts an overlay together as {@code kustomize build} would, as far as ours go;
 * the {@code …Checks} say what is wrong with the outcome, in sentences; and
 * {@link ai.molecule.system.kubernetes.PlantedFaultsTest} sees that each of them can.
 */
@NullMarked
package ai.molecule.system.kubernetes;

import org.jspecify.annotations.NullMarked;
