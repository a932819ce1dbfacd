"""For tests of pipelines: pytest finds these fixtures wherever git-relay is installed.

    @pytest.mark.relay_pipeline(payload={"TICKETS": [...]}, rules=[pinned("FACTS")])
    def test_the_extractor_keeps_the_facts(relay_pipeline, assert_clean_handoff):
        step = relay_pipeline.step_sync(EXTRACTOR, agent)
        assert_clean_handoff(step)

`relay_pipeline` is a pipeline in memory, a new one for every test; the marker takes the options of
`Pipeline.open`. `assert_clean_handoff(step)`, `assert_rolled_back(step)` and `snapshot_at(step)`
take the number of one of its steps, the first two also the result of a step of any pipeline.
`relay_git.testing.handoffs` has their types.
"""
