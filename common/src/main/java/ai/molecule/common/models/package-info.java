/**
 * Who runs models and what they cost, as one table says it: the proxy asks there, and registry and provisioner keep from agents what the
 * table calls a secret.
 */
@NullMarked
package ai.molecule.common.models;

import org.jspecify.annotations.NullMarked;
