//! Models and worlds: frames, nested models, includes.

use super::frames::{Carrier, FrameId, WORLD_FRAME};
use super::reader::{Context, Reader};
use crate::diagnostics::{Code, TextSpan, list};
use crate::import::tag::{Attribute, Tag};
use nalgebra::Isometry3;
use std::rc::Rc;

/// Elements inside each other, those of included files too.
const DEEPEST: usize = 128;

/// Words of an include on the model that it brings.
#[derive(Default)]
pub(super) struct Given {
    name: Option<Attribute>,
    pose: Option<(Isometry3<f64>, Option<Attribute>)>,
    placement: Option<Attribute>,
    is_static: Option<bool>,
}

/// A frame whose base or carrier is still a name.
pub(super) struct Open {
    pub(super) frame: FrameId,
    pub(super) place: TextSpan,
    pub(super) relative_to: Option<Attribute>,
    pub(super) attached_to: Option<Attribute>,
}

impl Reader<'_> {
    /// The content of a model or world in a scope of its own.
    pub(super) fn content(&mut self, tag: &Tag, context: &Context) {
        let (mut open, first_link) = (Vec::new(), self.links.len());
        for child in &tag.children {
            let part = matches!(child.name.as_str(), "link" | "joint" | "frame" | "model" | "include");
            if part && !self.count_part(&child.place) {
                return;
            }
            match child.name.as_str() {
                "link" => self.link(child, context, &mut open),
                "frame" => self.frame(child, context, &mut open),
                "model" => open.extend(self.nested(child, context, Given::default())),
                "include" => open.extend(self.included(child, context)),
                "population" | "drake:joint" => self.refuse(child),
                // Joints when all of these are known; what is looked for elsewhere is listed.
                _ => {}
            }
        }
        let joints: Vec<Rc<Tag>> = tag.named("joint").cloned().collect();
        let frames: Vec<_> = joints.iter().map(|joint| self.joint_frame(joint, context, &mut open)).collect();
        self.close(&open, context);
        for (joint, frame) in joints.iter().zip(frames) {
            if let Some((frame, name)) = frame {
                self.joint(joint, (frame, name), context);
            }
        }
        self.read_apart(tag, context);
        self.canonical(tag, context, first_link);
    }

    /// Elements that make bodies or joints: without them it would be another model.
    fn refuse(&mut self, tag: &Tag) {
        let message = format!("<{}> changes what moves in a way that is not read", tag.name);
        let help = "write links and joints of the format itself";
        self.robot.error(Code::UnknownKey, &tag.place, message, help);
    }

    /// A model of a file by itself, whose links have its names.
    pub(super) fn model(&mut self, tag: &Rc<Tag>, context: &Context, given: Given) {
        let inside = Context { prefix: String::new(), ..context.clone() };
        if let Some(open) = self.placed(tag, &inside, given, false) {
            self.close(&[open], context);
        }
    }

    /// A model in a world or in another model.
    fn nested(&mut self, tag: &Rc<Tag>, context: &Context, given: Given) -> Option<Open> {
        self.placed(tag, context, given, true)
    }

    fn placed(&mut self, tag: &Tag, context: &Context, given: Given, prefixed: bool) -> Option<Open> {
        if context.depth > DEEPEST {
            let message = format!("more than {DEEPEST} elements stand inside each other");
            self.robot.error(Code::Syntax, &tag.place, message, "no robot needs that: is a file damaged?");
            return None;
        }
        let name = match given.name {
            Some(name) => name,
            None => self.named_as(tag, "name")?.clone(),
        };
        let of = format!("model `{}{}`", context.prefix, name.text);
        let (pose, relative_to) = match given.pose {
            Some(pose) => pose,
            None => self.pose(tag, &of, context.minor),
        };
        let frame = self.frames.add(&name.text, pose);
        self.known_as(&name, frame, context);
        let scope = self.frames.scope(frame);
        self.frames.nest(context.scope, &name.text, scope);
        let prefix = if prefixed { format!("{}{}__", context.prefix, name.text) } else { String::new() };
        let inside = self.within(tag, Context { scope, prefix, ..context.clone() }, given.is_static, &of);
        self.content(tag, &inside);
        let placement = given.placement.or_else(|| tag.attribute("placement_frame").cloned());
        if let Some(placed) = placement.and_then(|name| self.frame_called(&name, &inside, &of)) {
            self.frames.place_by(scope, placed);
        }
        Some(Open { frame, place: tag.place.clone(), relative_to, attached_to: None })
    }

    /// Where the elements of a model stand; an include may say whether it is static.
    fn within(&mut self, tag: &Tag, around: Context, is_static: Option<bool>, of: &str) -> Context {
        let is_static = is_static.unwrap_or_else(|| self.flag(tag, "static", of, false));
        self.tops += usize::from(around.top.is_none());
        Context {
            depth: around.depth + 1,
            top: Some(around.top.unwrap_or(self.tops)),
            is_static: around.is_static || is_static,
            self_collide: self.flag(tag, "self_collide", of, around.self_collide),
            ..around
        }
    }

    /// The model that an include brings.
    fn included(&mut self, tag: &Tag, context: &Context) -> Option<Open> {
        let of = "an include";
        let uri = self.text(tag, "uri", of)?.clone();
        if let Some(merge) = tag.attribute("merge").filter(|m| matches!(m.text.trim(), "true" | "1")) {
            let message = "an include merges its model into the one around it".to_owned();
            let help = "write it without `merge`, and the names of its links as MODEL::LINK";
            self.robot.error(Code::UnknownValue, &merge.place.clone(), message, help);
            return None;
        }
        if let Some(changes) = tag.child("experimental:params") {
            let message = "an include changes the model that it brings".to_owned();
            let help = "write the changed model into a file of its own";
            self.robot.error(Code::UnknownKey, &changes.place.clone(), message, help);
            return None;
        }
        let name = self.single(tag, "name", of).map(|t| t.content.clone()).filter(|n| !n.text.is_empty());
        let pose = tag.child("pose").is_some().then(|| self.pose(tag, of, context.minor));
        let placement = self.single(tag, "placement_frame", of).map(|t| t.content.clone());
        let is_static = tag.child("static").is_some().then(|| self.flag(tag, "static", of, false));
        if pose.is_none()
            && let Some(name) = &placement
        {
            let message = "an include has a <placement_frame> and no <pose>".to_owned();
            self.robot.error(Code::MissingKey, &name.place.clone(), message, "write where the frame stands");
            return None;
        }
        let (model, inside) = self.include(&uri, context)?;
        self.nested(&model, &inside, Given { name, pose, placement, is_static })
    }

    fn frame(&mut self, tag: &Tag, context: &Context, open: &mut Vec<Open>) {
        let Some(name) = self.named_as(tag, "name").cloned() else { return };
        let (pose, relative_to) = self.pose(tag, &format!("frame `{}`", name.text), context.minor);
        let frame = self.frames.add(&name.text, pose);
        self.known_as(&name, frame, context);
        let attached_to = tag.attribute("attached_to").filter(|a| !a.text.is_empty()).cloned();
        let relative_to = relative_to.or_else(|| attached_to.clone());
        self.frames.carry(frame, Carrier::Frame(self.frames.of_model(context.scope)));
        open.push(Open { frame, place: tag.place.clone(), relative_to, attached_to });
    }

    /// Makes a frame known by its name.
    pub(super) fn known_as(&mut self, name: &Attribute, frame: FrameId, context: &Context) {
        let reserved = name.text.starts_with("__") && name.text.ends_with("__");
        if reserved || !self.frames.name(context.scope, &name.text, frame) {
            let message = if reserved {
                format!("`{}` is a name of the format's own", name.text)
            } else {
                format!("a second frame, link or model of its model is named `{}`", name.text)
            };
            let help = "every name is given once, and none begins and ends with `__`";
            self.robot.error(Code::DuplicateName, &name.place, message, help);
        }
    }

    /// The frame that an attribute names.
    pub(super) fn frame_called(&mut self, name: &Attribute, context: &Context, of: &str) -> Option<FrameId> {
        let found = self.frames.find(context.scope, name.text.trim());
        if found.is_none() {
            let message = format!("{of} names the frame `{}`, which its model does not have", name.text);
            self.robot.no_such_name(&name.place, message, &name.text, self.frames.known(context.scope));
        }
        found
    }

    /// Looks up the names in frames, once all of a model are known.
    fn close(&mut self, open: &[Open], context: &Context) {
        let model = self.frames.of_model(context.scope);
        for Open { frame, relative_to, attached_to, .. } in open {
            let base = relative_to.as_ref().and_then(|name| self.frame_called(name, context, "a pose"));
            self.frames.seen_from(*frame, base.unwrap_or(model));
            let carrier =
                attached_to.as_ref().and_then(|name| self.frame_called(name, context, "an `attached_to`"));
            if let Some(carrier) = carrier {
                self.frames.carry(*frame, Carrier::Frame(carrier));
            }
        }
        let all: Vec<FrameId> = open.iter().map(|o| o.frame).collect();
        for carried in [false, true] {
            while let Some(circle) = self.frames.circle(context.scope, &all, carried) {
                let Some(first) = open.iter().find(|o| circle.contains(&o.frame)) else { return };
                let names: Vec<String> =
                    circle.iter().map(|frame| self.frames.called(*frame).to_owned()).collect();
                let how = if carried { "attached to" } else { "given relative to" };
                let names = list(names.iter().map(String::as_str));
                let message = format!("frames are {how} one another in a circle: {names}");
                let help = "a frame is given in the end relative to its model";
                self.robot.error(Code::Contradiction, &first.place, message, help);
            }
        }
    }

    /// Gives the frame of a model its carrier: the link that it names, or its first.
    fn canonical(&mut self, tag: &Tag, context: &Context, first_link: usize) {
        let model = self.frames.of_model(context.scope);
        if model == WORLD_FRAME {
            return;
        }
        let named = tag.attribute("canonical_link").filter(|a| !a.text.is_empty()).cloned();
        let own = (first_link < self.links.len()).then_some(first_link);
        let link = match named {
            Some(name) => self.link_called(&name, context, "a `canonical_link`"),
            None => own,
        };
        self.frames.carry(model, link.map_or(Carrier::World, Carrier::Link));
    }

    /// The link that an attribute names.
    pub(super) fn link_called(&mut self, name: &Attribute, context: &Context, of: &str) -> Option<usize> {
        let frame = self.frame_called(name, context, of)?;
        let link = self.frames.link_of(frame);
        if link.is_none() {
            let message = format!("{of} names `{}`, which is no link", name.text);
            self.robot.error(Code::Contradiction, &name.place, message, "name a link");
        }
        link
    }
}
