/** What the platform rests on is taken away while it is used: what was answered stays true, and nobody is called dead for it. */
package ai.molecule.system.faults;
