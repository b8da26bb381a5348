# SPDX-License-Identifier: Apache-2.0
# What vitrine.yaml of an artifact said, for tests that go through all nouns (Vitrine::World).
{
	make => {},
	rows => [declared => "artifact_id, text, marks, at SELECT CONCAT('art_Z', LPAD(N, 25, '0')), 'document: {}', '{}', 1"],
}
