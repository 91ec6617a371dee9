package planted;

import ai.molecule.common.testing.LayerRules;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;

@AnalyzeClasses(packages = "planted")
class PlantedLayersTest {
    @ArchTest
    static final ArchTests layers = ArchTests.in(LayerRules.class);
}
