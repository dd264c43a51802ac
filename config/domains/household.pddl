; A household with one agent that has one hand.
;
; Primitive actions change the world by themselves. The macros clean, heat and cool do in one
; action what some environments offer as one command; which actions a bridge takes is said by its
; configuration, not here. look, inventory and examine only gather information.
;
; Which receptacles have a door is the fact openable(r), not a matter of the type. Object types
; are those of AI2-THOR and ALFWorld in lower case.
(define (domain household)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
                 :existential-preconditions :conditional-effects)

  (:types
    item receptacle - object

    ; What can be carried, and what stays where it is although it stands in or on a receptacle.
    portable fixture device - item
    lamp - device

    ; Portable things with a use of their own.
    food blade vessel wiper gadget - portable
    apple bread egg lettuce potato tomato - food
    butterknife knife - blade
    bottle bowl cup glassbottle kettle mug pot wateringcan winebottle - vessel
    cloth dishsponge handtowel papertowel scrubbrush towel - wiper
    alarmclock aluminumfoil baseballbat basketball book boots box candle cd cellphone creditcard
    dumbbell fork garbagebag keychain ladle laptop newspaper pan papertowelroll pen pencil
    peppershaker pillow plate plunger remotecontrol saltshaker soapbar soapbottle spatula spoon
    spraybottle statue tabletopdecor teddybear tennisracket tissuebox toiletpaper
    toiletpaperroll vase watch - gadget

    desklamp floorlamp - lamp
    desktop television - device
    bathtub blinds chair curtains faucet footstool houseplant laundryhamperlid lightswitch mirror
    painting poster roomdecor showercurtain showerdoor showerglass showerhead sink stool stoveknob
    vacuumcleaner window - fixture

    surface container appliance - receptacle
    armchair bed cart coffeetable countertop desk diningtable dogbed dresser
    handtowelholder ottoman paintinghanger shelf shelvingunit sidetable sofa toilet
    toiletpaperhanger towelholder tvstand - surface
    cabinet drawer fridge garbagecan laundryhamper safe - container
    ; Appliances are switched by toggle.
    basin microwave coffeemachine stoveburner toaster - appliance
    bathtubbasin sinkbasin - basin
  )

  (:predicates
    (at ?r - receptacle)            ; the agent stands at it and can reach it
    (in ?o - item ?r - receptacle)  ; lies in or on it
    (open ?r - receptacle)
    (openable ?r - receptacle)      ; has a door; never changes
    (holding ?o - item)
    (hand_empty)
    (clean ?x - object)
    (hot ?o - item)
    (cool ?o - item)
    (sliced ?o - item)
    (filled ?o - item)
    (on ?x - object)                ; switched on; for a basin: the water runs
  )

  ;; ---------------------------------------------------------------- primitives

  (:action goto
    :parameters (?r - receptacle)
    :precondition (not (at ?r))
    :effect (and
      (at ?r)
      (forall (?q - receptacle) (when (at ?q) (not (at ?q))))))

  ; Opening a running microwave stops it.
  (:action open
    :parameters (?r - receptacle)
    :precondition (and (at ?r) (openable ?r) (not (open ?r)))
    :effect (and
      (open ?r)
      (forall (?m - microwave) (when (and (= ?m ?r) (on ?m)) (not (on ?m))))))

  ; What is shut in a fridge becomes cool.
  (:action close
    :parameters (?r - receptacle)
    :precondition (and (at ?r) (openable ?r) (open ?r))
    :effect (and
      (not (open ?r))
      (forall (?f - fridge ?o - item)
        (when (and (= ?f ?r) (in ?o ?f))
          (and (cool ?o) (not (hot ?o)))))))

  (:action pick
    :parameters (?o - portable ?r - receptacle)
    :precondition (and
      (at ?r) (in ?o ?r) (hand_empty)
      (or (not (openable ?r)) (open ?r)))
    :effect (and (holding ?o) (not (hand_empty)) (not (in ?o ?r))))

  (:action put
    :parameters (?o - portable ?r - receptacle)
    :precondition (and
      (at ?r) (holding ?o)
      (or (not (openable ?r)) (open ?r)))
    :effect (and (in ?o ?r) (hand_empty) (not (holding ?o))))

  ; Switch a device that lies within reach, or the appliance at which the agent stands; one with a
  ; door has to be closed. Running water cleans what is in the basin when it begins to run, a
  ; microwave heats what is in it when it starts.
  (:action toggle
    :parameters (?x - object)
    :precondition (or
      (exists (?a - appliance)
        (and (= ?a ?x) (at ?a) (or (not (openable ?a)) (not (open ?a)))))
      (exists (?d - device ?r - receptacle)
        (and (= ?d ?x) (at ?r) (in ?d ?r) (or (not (openable ?r)) (open ?r)))))
    :effect (and
      (when (on ?x) (not (on ?x)))
      (when (not (on ?x)) (on ?x))
      (forall (?b - basin ?o - item)
        (when (and (= ?b ?x) (not (on ?b)) (in ?o ?b))
          (clean ?o)))
      (forall (?m - microwave ?o - item)
        (when (and (= ?m ?x) (not (on ?m)) (in ?o ?m))
          (and (hot ?o) (not (cool ?o)))))))

  (:action slice
    :parameters (?o - food ?k - blade)
    :precondition (and
      (holding ?k)
      (exists (?r - receptacle)
        (and (at ?r) (in ?o ?r) (or (not (openable ?r)) (open ?r)))))
    :effect (sliced ?o))

  (:action fill
    :parameters (?o - vessel ?r - basin)
    :precondition (and (at ?r) (holding ?o) (not (filled ?o)))
    :effect (filled ?o))

  (:action empty
    :parameters (?o - vessel)
    :precondition (and (holding ?o) (filled ?o))
    :effect (not (filled ?o)))

  ; Wipe the receptacle at which the agent stands, with a cloth or the like in the hand.
  (:action wipe
    :parameters (?r - receptacle)
    :precondition (and (at ?r) (exists (?w - wiper) (holding ?w)))
    :effect (clean ?r))

  ;; ---------------------------------------------------------------- macros
  ;; The thing stays in the hand, the appliance need not be open.

  (:action clean
    :parameters (?o - portable ?r - sinkbasin)
    :precondition (and (at ?r) (holding ?o))
    :effect (clean ?o))

  (:action heat
    :parameters (?o - portable ?r - microwave)
    :precondition (and (at ?r) (holding ?o))
    :effect (and (hot ?o) (not (cool ?o))))

  (:action cool
    :parameters (?o - portable ?r - fridge)
    :precondition (and (at ?r) (holding ?o))
    :effect (and (cool ?o) (not (hot ?o))))

  ;; ---------------------------------------------------------------- information

  (:action look
    :parameters ()
    :precondition ()
    :effect ())

  (:action inventory
    :parameters ()
    :precondition ()
    :effect ())

  (:action examine
    :parameters (?x - object)
    :precondition (or
      (exists (?r - receptacle) (and (= ?r ?x) (at ?r)))
      (exists (?o - item) (and (= ?o ?x) (holding ?o)))
      (exists (?o - item ?r - receptacle)
        (and (= ?o ?x) (at ?r) (in ?o ?r) (or (not (openable ?r)) (open ?r)))))
    :effect ())
)
