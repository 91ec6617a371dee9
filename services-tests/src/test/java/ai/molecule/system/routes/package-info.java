/**
 * Every route of the four services, walked: {@code GuardsIT} with every kind of credential, {@code BadInputIT} with what no client
 * should send. Both read {@code routes.txt}, where each route has a row; a route without one fails the tests.
 */
package ai.molecule.system.routes;
