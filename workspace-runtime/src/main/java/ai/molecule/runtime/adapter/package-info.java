/**
 * How a kind of agent is added to the runtime: {@link ai.molecule.runtime.adapter.Adapter} is what an author writes,
 * {@link ai.molecule.runtime.adapter.AdapterContext} what it begins from, {@link ai.molecule.runtime.adapter.AdapterTrial} what tries whether
 * it keeps to the contract. Kinds are found by {@link java.util.ServiceLoader}, those of this house like any other.
 */
@NullMarked
package ai.molecule.runtime.adapter;

import org.jspecify.annotations.NullMarked;
