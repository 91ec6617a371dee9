package ai.molecule.events;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import ai.molecule.common.testing.LayerRules;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

/** {@code Routes -> Service -> Store <- PgStore}, and which folder may know which. */
@AnalyzeClasses(packages = "ai.molecule.events", importOptions = DoNotIncludeTests.class)
class EventsArchitectureTest {

    @ArchTest
    static final ArchTests layers = ArchTests.in(LayerRules.class);

    @ArchTest
    static final ArchRule the_hub_knows_no_connection = noClasses()
            .that()
            .resideInAnyPackage("..events.hub..", "..events.log..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("..events.sockets..", "..events.streams..", "..events.activity..", "..events.notify..");
}
