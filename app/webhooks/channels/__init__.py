"""Notices in a team's chat: posted to Slack and Discord channels through incoming webhooks."""

from app.feature import Edge, Feature, Job, Work


def _edge() -> Edge:
    from app.webhooks.api import AdminWebhooks
    from app.webhooks.channels.api import AdminNoticeChannels
    from app.webhooks.channels.pages import NoticeChannelPages

    return Edge({AdminNoticeChannels: AdminWebhooks}, (NoticeChannelPages,))


def _work() -> Work:
    from app.webhooks.channels.channels import ChannelPosts

    return Work(
        (
            Job(2, "channel posts", ChannelPosts, ChannelPosts.deliver),
            Job(3600, "channel posts given up", ChannelPosts, ChannelPosts.forget),
        ),
        (ChannelPosts,),
    )


FEATURE = Feature(name="notice_channels", edge=_edge, work=_work)
