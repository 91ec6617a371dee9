/** The platform as {@code docker-compose.yml} starts it, with an engine that is really there. */
package ai.molecule.system.compose;
