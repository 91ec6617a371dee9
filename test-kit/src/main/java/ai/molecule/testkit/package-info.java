/** What every module's tests have, whatever they test: a note of how long each class took, for {@code .ci/times}. Java 17, as the agent SDK. */
package ai.molecule.testkit;
